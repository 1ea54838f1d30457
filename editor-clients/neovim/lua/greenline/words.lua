-- Verdicts, states and counts in words.
local M = {}

---@type table<string, string>
local verdicts = {
  verified = 'verified',
  couldNotRun = 'untested: the tests could not run',
  notRun = 'untested: no test was run',
  flaky = 'flaky tests',
  regressed = 'breaks a test',
  stillFailing = 'still failing',
  testsOnly = 'changes tests only',
  notCovered = 'not covered by a test',
}

---@type table<string, string>
local states = {
  planning = 'planning',
  awaitingApproval = 'plan waits for approval',
  needsInput = 'needs an answer',
  executing = 'working',
  verifying = 'verifying',
  proposed = 'proposed',
  accepted = 'accepted',
  partlyAccepted = 'partly accepted',
  rejected = 'rejected',
  paused = 'paused',
  interrupted = 'interrupted',
  failed = 'failed',
  cancelled = 'cancelled',
}

--- Return a number with its noun.
---@param n integer
---@param noun string
---@return string
function M.count(n, noun)
  return ('%d %s%s'):format(n, noun, n == 1 and '' or 's')
end

--- Return a run's state in words.
---@param state string
---@return string
function M.state(state)
  return states[state] or state
end

--- Return a proposal's verdict in a few words.
---@param proposal greenline.Proposal
---@return string
function M.verdict(proposal)
  local parts = { verdicts[proposal.verdict] or proposal.verdict }
  if proposal.evidence.touchesTests then
    table.insert(parts, 'touches tests')
  end
  if proposal.evidence.currency == 'partial' then
    table.insert(parts, 'measured on other changes or lines')
  end
  return table.concat(parts, ', ')
end

--- Return a file's name as short as it is clear.
---@param uri string
---@return string
function M.file(uri)
  return vim.fn.fnamemodify(vim.uri_to_fname(uri), ':~:.')
end

return M
