/** Settings and options, each with its origin. */
import { z } from "zod";

export const ConfigSetting = z
  .object({
    field: z.string(),
    value: z.unknown().describe("Masked; safe to show."),
    origin: z.string(),
    default: z.unknown(),
    unit: z.string().nullable(),
    meaning: z.string(),
    warning: z.string().nullable(),
  })
  .meta({ id: "ConfigSetting" });
export type ConfigSetting = z.infer<typeof ConfigSetting>;

export const SettingGroup = z
  .object({
    config_class: z.string(),
    section: z.string().describe("Its section in configuration files."),
    rows: z.array(ConfigSetting),
  })
  .meta({ id: "SettingGroup", description: "The settings of one configuration class." });
export type SettingGroup = z.infer<typeof SettingGroup>;

export const OptionRow = z
  .object({
    option: z.string().describe("Name of the flag without leading dashes: `read-only`."),
    value: z.unknown(),
    origin: z.string(),
  })
  .meta({ id: "OptionRow" });
export type OptionRow = z.infer<typeof OptionRow>;

export const SettingProblem = z
  .object({
    setting: z.string(),
    value: z.unknown().describe("Masked."),
    origin: z.string(),
    accepted: z.string().describe("A sentence fragment."),
  })
  .meta({ id: "SettingProblem", description: "A setting with a value that pynenc rejects or cannot work with." });
export type SettingProblem = z.infer<typeof SettingProblem>;

export const SettingsReport = z
  .object({ groups: z.array(SettingGroup), options: z.array(OptionRow), problems: z.array(SettingProblem) })
  .meta({ id: "SettingsReport" });
export type SettingsReport = z.infer<typeof SettingsReport>;

export const ConfigReport = SettingsReport.extend({
  app_id: z
    .string()
    .nullable()
    .describe("Null if no store was found; the values that the app registered are then missing."),
  location: z.string().nullable(),
  notes: z.array(z.string()),
}).meta({ id: "ConfigReport", description: "Every effective setting and option, each with its origin." });
export type ConfigReport = z.infer<typeof ConfigReport>;
