// Kinds of lines that are known and of no use for the tree. Anything else that has no parser is counted as unknown.

/** Each of them has nothing but events of the program around the conversation. (`model.`: the request of a compaction.) */
const FAMILIES = [
  'hook.',
  'mcp.',
  'model.',
  'permission.',
  'session.fusion_',
  'session.schedule_',
  'session.canvas.',
  'skill.',
];

const KINDS = new Set([
  'assistant.turn_start',
  'assistant.turn_end',
  'assistant.reasoning',
  'assistant.fusion_phase_completed',
  'assistant.fusion_phase_failed',
  'external_tool.requested',
  'human_response.recorded',
  'session.auto_mode_resolved',
  'session.autopilot_objective_changed',
  'session.binary_asset',
  'session.compaction_start',
  'session.completion_receipt',
  'session.context_cleared',
  'session.handoff',
  'session.info',
  'session.mode_changed',
  'session.mode_notice_delivered',
  'session.model_deselected',
  'session.permission_recovery',
  'session.permissions_changed',
  'session.plan_changed',
  'session.remote_steerable_changed',
  'session.request_body_compression_disabled',
  'session.session_limits_changed',
  'session.task_complete',
  'session.usage_checkpoint',
  'session.warning',
  'session.workspace_file_changed',
  'subagent.selected',
  'subagent.deselected',
  'system.message',
  'tool_search.activated',
]);

export function isWithoutNews(type: string): boolean {
  return KINDS.has(type) || FAMILIES.some((family) => type.startsWith(family));
}
