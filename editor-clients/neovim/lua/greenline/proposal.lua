-- What the servers propose and what of it waits; the only place that remembers it.
local M = {}

---@class greenline.Waiting A hunk that waits for a decision.
---@field client_id integer
---@field proposal greenline.Proposal
---@field hunk greenline.Hunk

---@type table<integer, table<string, greenline.Proposal>>
local known = {}

---@param hunk greenline.Hunk
---@return boolean
local function waits(hunk)
  return hunk.state == 'pending' or hunk.state == 'conflicted'
end

---@param a greenline.Waiting
---@param b greenline.Waiting
---@return boolean
local function earlier(a, b)
  if a.hunk.uri ~= b.hunk.uri then
    return a.hunk.uri < b.hunk.uri
  end
  if a.hunk.range.start.line ~= b.hunk.range.start.line then
    return a.hunk.range.start.line < b.hunk.range.start.line
  end
  return a.hunk.id < b.hunk.id
end

--- Take a proposal as it is now; return it as it was known, and the files of both.
---@param client_id integer
---@param proposal greenline.Proposal
---@return greenline.Proposal? before
---@return string[] uris
function M.put(client_id, proposal)
  known[client_id] = known[client_id] or {}
  local before = known[client_id][proposal.id]
  local is_open = vim.iter(proposal.hunks):any(waits)
  known[client_id][proposal.id] = is_open and proposal or nil
  local uris = {}
  for _, held in ipairs({ before or { hunks = {} }, proposal }) do
    for _, hunk in ipairs(held.hunks) do
      uris[hunk.uri] = true
    end
  end
  return before, vim.tbl_keys(uris)
end

--- Forget what a server proposed, which has ended; return the files.
---@param client_id integer
---@return string[] uris
function M.forget(client_id)
  local uris = {}
  for _, proposal in pairs(known[client_id] or {}) do
    for _, hunk in ipairs(proposal.hunks) do
      uris[hunk.uri] = true
    end
  end
  known[client_id] = nil
  return vim.tbl_keys(uris)
end

--- Return the hunks that wait, in the order of files and lines.
---@param filter? { client_id?: integer, uri?: string, proposal_id?: string }
---@return greenline.Waiting[]
function M.waiting(filter)
  filter = filter or {}
  local found = {}
  for client_id, proposals in pairs(known) do
    for _, proposal in pairs(proposals) do
      for _, hunk in ipairs(proposal.hunks) do
        if
          waits(hunk)
          and (filter.client_id or client_id) == client_id
          and (filter.uri or hunk.uri) == hunk.uri
          and (filter.proposal_id or proposal.id) == proposal.id
        then
          table.insert(found, { client_id = client_id, proposal = proposal, hunk = hunk })
        end
      end
    end
  end
  table.sort(found, earlier)
  return found
end

--- Return the hunk's lines in a buffer: the first, and the one after the last, both from 0.
---@param hunk greenline.Hunk
---@return integer first
---@return integer last
function M.lines(hunk)
  return hunk.range.start.line, hunk.range['end'].line
end

--- Return the measured coverage of a hunk.
---@param proposal greenline.Proposal
---@param hunk greenline.Hunk
---@return greenline.HunkEvidence?
function M.coverage(proposal, hunk)
  for _, measured in ipairs(proposal.evidence.hunks or {}) do
    if measured.hunkId == hunk.id then
      return measured
    end
  end
end

return M
