import type { CompletionScript } from "../../api/app.ts";
import { resolveConfiguration } from "../../config/options.ts";
import { conflict } from "../exported.ts";
import type { Flags } from "../flags.ts";
import { Output } from "../print/output.ts";
import { ownSurroundings } from "../session.ts";

/** `monitor completion <shell>`: the script to load in the shell's start-up file. Opens no store. @throws InvalidInputError */
export async function run(flags: Flags, [shell = ""]: readonly string[]): Promise<void> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) throw conflict("<shell>", shell, `expected one of ${SHELLS.join(", ")}`);
  const out = new Output(resolveConfiguration({ flags, ...ownSurroundings(flags) }).options);
  const document: CompletionScript = { shell, script };
  if (out.json) return out.document(document);
  out.lines([script.trimEnd()]);
}

/** Bash splits words at colons and equals signs, so only the part after the last of them is inserted. */
const BASH = `_monitor_complete() {
  local line="\${COMP_LINE:0:COMP_POINT}" current before="" reply
  local -a words
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  [[ "$current" == *[:=]* ]] && before="\${current%"\${current##*[:=]}"}"
  COMPREPLY=()
  while IFS= read -r reply; do
    COMPREPLY+=("\${reply#"$before"}")
  done < <("\${words[0]}" complete -- "\${words[@]:1}" 2>/dev/null)
  compopt -o nosort 2>/dev/null
  [[ "\${COMPREPLY[0]}" == *: ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o bashdefault -o default -F _monitor_complete monitor pynenc-monitor
`;

const ZSH = `#compdef monitor pynenc-monitor
_monitor_complete() {
  local -a replies shown
  local reply
  for reply in \${(f)"$("\${words[1]}" complete --described -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
    replies+=("\${reply%%$'\\t'*}")
    shown+=("\${reply/$'\\t'/  }")
  done
  if (( \${#replies} == 0 )); then
    _files
  elif [[ "\${replies[1]}" == *: ]]; then
    compadd -S '' -- $replies
  else
    # Newest first.
    compadd -V monitor -d shown -- $replies
  fi
}
compdef _monitor_complete monitor pynenc-monitor
`;

const FISH = `function __monitor_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] complete --described -- $words[2..-1] 2>/dev/null
end
for name in monitor pynenc-monitor
  complete -c $name -f -k -a '(__monitor_complete)'
  complete -c $name -n 'test -z "$(__monitor_complete)"' -F
end
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export const SHELLS = Object.keys(SCRIPTS);
