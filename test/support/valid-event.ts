/** A condition on the event "paid", as it is stored. */
export const EVENT_CONDITION = JSON.stringify({ condition_type: "EventCondition", data: { event_code: "paid" } });

/** What a valid condition keeps of an event that met a condition. */
export const validEvent = (event_id: string) => ({
  condition: EVENT_CONDITION,
  context: JSON.stringify({
    context_type: "EventContext",
    timestamp: "2026-01-05T12:00:00+00:00",
    data: { event_id, event_code: "paid", payload: { amount: "5" } },
  }),
});
