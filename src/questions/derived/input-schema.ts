/** Parameters as schemas: for the OpenAPI document, and for the tools of assistants. */
import { z } from "zod";
import type { Input, Parameter } from "../../inputs/parameter.ts";
import { explainedWords, helpOf, sentence, spokenName } from "../model/parameter-words.ts";
import type { Question, Tool } from "../model/question.ts";

/** Schema of a query string or a request body. */
export function inputSchema(input: Input): z.ZodObject {
  return z.object(Object.fromEntries(Object.entries(input).map(([name, parameter]) => [name, inAddress(parameter)])));
}

function inAddress(parameter: Parameter): z.ZodType {
  const { otherNames } = parameter;
  const described = withMeaning(ofAddress(parameter), sentence(explainedWords(parameter)) + zoneOf(parameter));
  return otherNames === undefined ? described : described.meta({ "x-other-names": otherNames });
}

function zoneOf(parameter: Parameter): string {
  return parameter.kind === "text" && parameter.read === "time" ? " UTC unless it has an offset." : "";
}

function withMeaning(schema: z.ZodType, words: string): z.ZodType {
  return words === "" ? schema : schema.describe(words);
}

function ofAddress(parameter: Parameter): z.ZodType {
  if (parameter.kind === "text" && parameter.list) return z.array(z.string()).exactOptional();
  const schema = schemaOf(parameter);
  if (parameter.required) return schema;
  const usual = "usual" in parameter ? parameter.usual : undefined;
  return usual === undefined ? schema.exactOptional() : schema.default(usual);
}

function schemaOf(parameter: Parameter): z.ZodType<unknown, unknown> {
  if (parameter.kind === "text") return z.string();
  if (parameter.kind === "switch") return z.enum(["1", "0"]);
  if (parameter.kind === "word") return z.enum(parameter.words);
  const { kind, least, most } = parameter;
  const value = kind === "whole" ? z.int() : z.number();
  const bounded = least === undefined ? value : value.min(least);
  return most === undefined ? bounded : bounded.max(most);
}

/** Characters of a text that an assistant may give, unless the parameter says otherwise. */
const LONGEST = 10_000;

/** Some parameters for a tool, by the names that commands use. */
export function toolSchema(input: Input, { takes, most, options = {} }: Omit<Tool, "name">): z.ZodObject {
  return z.strictObject(
    Object.fromEntries(
      takes.map((name) => {
        const parameter = options[name] ?? input[name];
        if (parameter === undefined) throw new Error(`the question has no parameter ${name}`);
        return [spokenName(parameter) ?? name, toolValue(parameter, most)];
      }),
    ),
  );
}

/** One parameter of a tool. @param most the largest number, where that is less than elsewhere */
export function toolValue(parameter: Parameter, most?: number): z.ZodType {
  const value = givenToTool(parameter.kind === "whole" && most !== undefined ? { ...parameter, most } : parameter);
  const described = value.describe(sentence(inToolWords(helpOf(parameter))) + zoneOf(parameter));
  return parameter.required ? described : described.optional();
}

function givenToTool(parameter: Parameter): z.ZodType {
  if (parameter.kind === "switch") return z.boolean();
  if (parameter.kind !== "text") return schemaOf(parameter);
  if (parameter.read === "list")
    return z
      .array(z.string())
      .min(parameter.required ? 1 : 0)
      .max(parameter.most ?? LONGEST);
  return z.string().max(parameter.longest ?? LONGEST);
}

/** What the tool is for. */
export function toolDescription({ summary, details = "", tool }: Question): string {
  const about = tool?.about ?? [sentence(summary), inToolWords(details)].join(" ").trimEnd();
  return [about, tool?.note ?? ""].filter((part) => part !== "").join(" ");
}

/** `--since` is `since` for an assistant, and documents are resources. */
function inToolWords(words: string): string {
  return words.replace(/--(?=[a-z])/g, "").replace(/docs\/([\w-]+)\.md/g, "monitor://docs/$1");
}
