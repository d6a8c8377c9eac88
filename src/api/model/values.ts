/** Stored values, arguments and exceptions, ready to be shown. */
import { z } from "zod";

export const ValueForm = z.enum(["json", "jsonpickle", "json_envelope", "pickle", "reference", "text"]).meta({
  id: "ValueForm",
  description:
    "`json`: plain JSON of either JSON serializer; `jsonpickle`: with `py/...` keys; `json_envelope`: with JsonSerializer's envelopes; `pickle`: base64 of a pickle; `reference`: into the client data store; `text`: anything else.",
});

export const DisplayValue = z
  .object({
    form: ValueForm,
    text: z
      .string()
      .describe(
        "`json`: over several lines with two spaces per level; `jsonpickle` and `json_envelope`: Python-like, `Pt(x=1, y=2.5)`; others: as stored. Numbers keep their digits. At most the limit's number of UTF-16 units.",
      ),
    truncated: z.boolean(),
    size: z
      .int()
      .nullable()
      .describe("UTF-16 units of the stored string; where it is `cut` its bytes, or null where they are not known."),
    cut: z.literal(true).exactOptional().describe("No more than the beginning was read of it, because of its size."),
    note: z
      .string()
      .nullable()
      .describe("A remark about the text: `pickle, 12 bytes, not loaded`, `instance of tasks.Pt`, or null."),
    reference: z.string().nullable().describe("The whole reference when `form` is `reference`."),
  })
  .meta({ id: "DisplayValue", description: "A stored string, ready to be shown (and still to be escaped)." });
export type DisplayValue = z.infer<typeof DisplayValue>;

export const DisplayException = z
  .object({
    error_name: z.string().describe("Class name, or `unreadable`."),
    type: z
      .string()
      .nullable()
      .describe(
        "Dotted path of the class if the serializer records it: `builtins.ValueError`; else the class name. Null for `unreadable`.",
      ),
    message: z.string().nullable().describe("Null where it could not be read. Empty for an exception without any."),
    pynenc_error: z.boolean().describe("An error of the framework, which pynenc stores in its own form."),
    data: z.string().nullable().describe("Stored string of the exception object; may be a reference."),
    value: DisplayValue.nullable(),
  })
  .meta({ id: "DisplayException", description: "A stored exception, ready to be shown. No traceback is stored." });
export type DisplayException = z.infer<typeof DisplayException>;

export const ShownValue = z
  .object({
    stored: DisplayValue.describe("What the row holds."),
    resolved: DisplayValue.nullable().describe(
      "The value behind a reference; null when `stored` is no reference or the reference dangles.",
    ),
    dangling: z
      .boolean()
      .describe(
        "A reference that is not in this store: the producer kept it in memory, or the client data was purged.",
      ),
  })
  .meta({
    id: "ShownValue",
    description:
      "A stored value for display: as stored and, if it was externalised, the value that its reference leads to.",
  });
export type ShownValue = z.infer<typeof ShownValue>;

export const ShownException = z
  .object({
    exception: DisplayException,
    resolved: ShownValue.nullable().describe("Null unless the object is a reference."),
  })
  .meta({
    id: "ShownException",
    description: "A stored exception, with its object where that lies in the client data store.",
  });
export type ShownException = z.infer<typeof ShownException>;

export const ShownArgument = z.object({ name: z.string(), value: ShownValue }).meta({ id: "ShownArgument" });
export type ShownArgument = z.infer<typeof ShownArgument>;

export const ShownArguments = z
  .object({
    arguments: z.array(ShownArgument),
    arguments_unreadable: z
      .string()
      .nullable()
      .describe("Set when the stored arguments are not a JSON object: the stored text."),
    arguments_too_large: z
      .int()
      .nullable()
      .describe(
        "Bytes of all arguments, where they are too large to read in full: then there may be more than are listed.",
      ),
  })
  .meta({ id: "ShownArguments" });
export type ShownArguments = z.infer<typeof ShownArguments>;
