import { defineConfig } from "vitest/config";
import { shared } from "./vitest.shared.ts";
export default defineConfig({ test: { ...shared, pool: "threads", execArgv: [], maxWorkers: 1, include: ["test/timeline/**/*.test.ts","test/services/rollups/**/*.test.ts"] } });
