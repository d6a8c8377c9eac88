/** Words of docs/glossary.md that labels use and that not everybody knows, with their meaning there. Tables, facts and pages explain them by it. */
export const TERMS: Readonly<Record<string, string>> = {
  "Atomic service":
    "Work that one runner at a time does, in turns, the oldest runner first: starting the triggers that are due, and recovering stuck invocations",
  "Client data": "Values that are too large for a row, kept apart and referred to",
  Family: "All that has one origin: callers, calls, and what events and triggers started",
  Members:
    "Invocations that started inside a workflow run, also those that define a nested run, but not the one that defines this run. Its family can be larger",
  "Service run": "One turn of the atomic service",
  "Valid condition": "The record that a condition was met, kept until the triggers that need it have run",
  "Workflow data": "Values that the code of a workflow keeps, and what pynenc keeps to run it again from where it was",
};
