import type { ComponentChildren } from "preact";
import { count, visibleLine } from "../../../src/presentation/text.ts";
import { KeptParameters } from "../../layout/kept-parameters.tsx";
import { useLinks } from "../../links.ts";
import { lastValue, type PageQuery } from "../../query.ts";
import { Info } from "./info.tsx";

export interface FilterFormProps {
  /** Path of the list without a query, because the fields become the query. */
  path: string;
  /** Fields, plus `HiddenField`s for parameters to keep, such as a sort order. */
  children: ComponentChildren;
  /** Rarer fields, folded behind "More". */
  more?: ComponentChildren;
  /** Clears all filters. */
  clearHref?: string | undefined;
}

/** The filter state lives in the address, so a filtered list can be bookmarked and shared. */
export function FilterForm({ path, children, more, clearHref }: FilterFormProps) {
  const links = useLinks();
  return (
    <search aria-label="Filters">
      <form class="filter-form" action={links.formAction(path)} method="get">
        <KeptParameters />
        {children}
        {more !== undefined && (
          <details class="menu filter-more">
            <summary>More</summary>
            <div class="menu-panel">{more}</div>
          </details>
        )}
        <button class="button primary" type="submit">
          Apply
        </button>
        {clearHref !== undefined && (
          <a class="button quiet" href={clearHref}>
            Clear
          </a>
        )}
      </form>
    </search>
  );
}

interface FieldProps {
  /** Query parameter; must be unique in the page as an id `filter-<name>`. */
  name: string;
  label: string;
  /** One line under the field. */
  hint?: string | undefined;
  /** Why the given value was not understood. */
  error?: string | undefined;
  /** The field takes the width that is left, and its placeholder stands for the label. */
  wide?: boolean | undefined;
  /** Explains the field, behind an "i". */
  help?: ComponentChildren;
}

function Field({ name, label, hint, error, wide, help, children }: FieldProps & { children: ComponentChildren }) {
  return (
    <div class={["field", ...(error === undefined ? [] : ["invalid"]), ...(wide ? ["wide"] : [])].join(" ")}>
      <label for={`filter-${name}`} class={wide ? "visually-hidden" : undefined}>
        {label}
      </label>
      {children}
      {help !== undefined && <Info about={label}>{help}</Info>}
      {error !== undefined && (
        <p class="field-error small" id={`filter-${name}-note`}>
          {visibleLine(error)}
        </p>
      )}
      {error === undefined && hint !== undefined && (
        <p class="field-hint small" id={`filter-${name}-note`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function describedBy({ name, hint, error }: FieldProps) {
  return {
    id: `filter-${name}`,
    name,
    "aria-describedby": hint === undefined && error === undefined ? undefined : `filter-${name}-note`,
    "aria-invalid": error === undefined ? undefined : true,
  };
}

export interface TextFieldProps extends FieldProps {
  value: string | null | undefined;
  placeholder?: string | undefined;
  /** Monospace: for ids. */
  code?: boolean | undefined;
  /** Address for completions of a query. */
  completions?: string | undefined;
}

export function TextField(props: TextFieldProps) {
  const input = (
    <input
      type="text"
      class={props.code === true ? "mono" : undefined}
      // An id is not cut.
      size={Math.min(40, Math.max(props.code === true ? 38 : 20, (props.value ?? "").length + 2))}
      value={props.value ?? ""}
      placeholder={props.placeholder}
      autocomplete="off"
      spellcheck={false}
      data-completions={props.completions}
      {...describedBy(props)}
    />
  );
  return <Field {...props}>{props.completions === undefined ? input : <div class="completed">{input}</div>}</Field>;
}

export interface NumberFieldProps extends FieldProps {
  value: number | null | undefined;
  min?: number | undefined;
  max?: number | undefined;
}

export function NumberField(props: NumberFieldProps) {
  return (
    <Field {...props}>
      <input type="number" value={props.value ?? ""} min={props.min} max={props.max} step="1" {...describedBy(props)} />
    </Field>
  );
}

/** How many rows a page of the list has. */
export function PageSizeField({ query, most }: { query: PageQuery; most: number }) {
  const size = lastValue(query, "limit");
  return (
    <NumberField
      name="limit"
      label="Rows per page"
      value={size === "" ? null : Number(size)}
      min={1}
      max={most}
      hint={`Up to ${count(most)}`}
    />
  );
}

export interface SelectFieldProps extends FieldProps {
  value: string | null | undefined;
  /** An empty value means "any". */
  options: readonly { value: string; label: string }[];
}

export function SelectField(props: SelectFieldProps) {
  const chosen = props.value ?? "";
  // A value that is not in the list (a task that is gone) must not silently become the first option.
  const options = props.options.some((option) => option.value === chosen)
    ? props.options
    : [{ value: chosen, label: chosen === "" ? "Any" : chosen }, ...props.options];
  return (
    <Field {...props}>
      <select {...describedBy(props)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === chosen}>
            {visibleLine(option.label)}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** Sends 1 or 0. The 0 is sent too, because a missing value would mean the default. */
export function SwitchField({ name, label, on }: { name: string; label: string; on: boolean }) {
  return (
    <label class="check">
      <input type="hidden" name={name} value="0" />
      <input type="checkbox" name={name} value="1" checked={on} />
      {label}
    </label>
  );
}

export function HiddenField({ name, value }: { name: string; value: string | number | null | undefined }) {
  return value === null || value === undefined || value === "" ? null : (
    <input type="hidden" name={name} value={value} />
  );
}
