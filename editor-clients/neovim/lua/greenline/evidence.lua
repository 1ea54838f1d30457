-- Shows in a floating window what the sandbox measured for a proposal.
local move = require('greenline.move')
local place = require('greenline.place')
local proposal = require('greenline.proposal')
local say = require('greenline.say')
local words = require('greenline.words')

local M = {}

local MAX_NAMES = 8

---@param report greenline.TestReport
---@param outcome string
---@return integer
local function count(report, outcome)
  local n = 0
  for _, test in ipairs(report.tests or {}) do
    n = n + (test.outcome == outcome and 1 or 0)
  end
  return n
end

---@param name string
---@param report greenline.TestReport
---@return string
local function row(name, report)
  return ('%-10s %7d %7d %7d %8d %8.2f  %s'):format(
    name,
    count(report, 'passed'),
    count(report, 'failed'),
    count(report, 'error'),
    count(report, 'skipped'),
    report.durationS or 0,
    report['end'] or ''
  )
end

---@param names string[]
---@return string
local function listed(names)
  local shown = table.concat(vim.list_slice(names, 1, MAX_NAMES), ', ')
  return #names > MAX_NAMES and ('%s and %d more'):format(shown, #names - MAX_NAMES) or shown
end

---@param lines string[]
---@param measured greenline.HunkEvidence?
local function add_coverage(lines, measured)
  if measured == nil then
    return
  end
  if measured.coverage == 'covered' then
    table.insert(
      lines,
      ('Coverage  %s execute these lines: %s'):format(
        words.count(#measured.tests, 'test'),
        listed(measured.tests)
      )
    )
  elseif measured.coverage == 'notCovered' then
    table.insert(lines, 'Coverage  no test executes these lines')
  end
end

--- Return what was measured, as lines of text.
---@param found greenline.Proposal
---@param hunk? greenline.Hunk
---@return string[]
function M.lines(found, hunk)
  local evidence = found.evidence
  local lines = { 'Verdict   ' .. words.verdict(found) }
  local function add(label, text)
    if text and text ~= '' then
      table.insert(lines, ('%-9s %s'):format(label, (text:gsub('%s+', ' '))))
    end
  end
  add('', evidence.detail)
  add('Why', hunk and hunk.why)
  local reports = {
    { 'base', evidence.base },
    { 'patched', evidence.patched },
    { 'old tests', evidence.oldTests },
    { 'new tests', evidence.newTests },
  }
  local rows = {}
  for _, pair in ipairs(reports) do
    if pair[2] then
      table.insert(rows, row(pair[1], pair[2]))
    end
  end
  if #rows > 0 then
    vim.list_extend(
      lines,
      { '', ('%-10s %7s %7s %7s %8s %8s'):format('', 'passed', 'failed', 'errors', 'skipped', 'seconds') }
    )
    vim.list_extend(lines, rows)
    table.insert(lines, '')
  end
  if hunk then
    add_coverage(lines, proposal.coverage(found, hunk))
  end
  add('Fixed', listed(evidence.fixed or {}))
  add('Lost', listed(evidence.lost or {}))
  add('Flaky', listed(evidence.flaky or {}))
  add('Engine', evidence.engine)
  add('Image', evidence.image)
  add('Command', table.concat(evidence.command or {}, ' '))
  if (evidence.durationS or 0) > 0 then
    add('Duration', ('%.1f s'):format(evidence.durationS))
  end
  for _, warning in ipairs(evidence.warnings or {}) do
    add('Warning', warning)
  end
  return lines
end

--- Open the window for the hunk under the cursor, or for what is pending in this file.
function M.open()
  local item = move.here()
  local hunk = item and item.hunk
  if item == nil then
    local uri = place.uri(vim.api.nvim_get_current_buf())
    for _, other in ipairs(proposal.waiting()) do
      if uri and place.same(other.hunk.uri, uri) then
        item = item or other
      end
    end
  end
  item = item or proposal.waiting()[1]
  if item == nil then
    say.say('No change is pending, so there is no evidence to show.')
    return
  end
  vim.lsp.util.open_floating_preview(M.lines(item.proposal, hunk), 'text', {
    border = 'rounded',
    title = ' Evidence ',
    focus_id = 'greenline-evidence',
    max_width = 100,
    wrap = true,
  })
end

return M
