-- Maps in buffers that hold pending hunks. Invariant: a map of the user's own is neither replaced nor removed.
local config = require('greenline.config')

local M = {}

local DESCRIPTION = 'Greenline: '

---@type table<string, { text: string, run: fun() }>
local actions = {
  next = {
    text = 'next pending change',
    run = function()
      require('greenline.move').step(vim.v.count1)
    end,
  },
  prev = {
    text = 'previous pending change',
    run = function()
      require('greenline.move').step(-vim.v.count1)
    end,
  },
  accept = {
    text = 'accept this change',
    run = function()
      require('greenline.review').decide('accept', 'hunk')
    end,
  },
  reject = {
    text = 'reject this change',
    run = function()
      require('greenline.review').decide('reject', 'hunk')
    end,
  },
  reject_comment = {
    text = 'reject this change, and say why',
    run = function()
      require('greenline.review').reject_with_comment()
    end,
  },
  evidence = {
    text = 'show what was measured',
    run = function()
      require('greenline.evidence').open()
    end,
  },
}

--- Buffer → action → the key that is mapped there.
---@type table<integer, table<string, string>>
local mapped = {}

---@param bufnr integer
---@param lhs string
---@return boolean
local function is_taken(bufnr, lhs)
  local found = vim.api.nvim_buf_call(bufnr, function()
    return vim.fn.maparg(lhs, 'n', false, true)
  end)
  return next(found) ~= nil and not vim.startswith(found.desc or '', DESCRIPTION)
end

--- Set the maps in a buffer, once; return action → key of those that are set.
---@param bufnr integer
---@return table<string, string>
function M.set(bufnr)
  if mapped[bufnr] then
    return mapped[bufnr]
  end
  local set = {}
  for action, lhs in pairs(config.get().keys or {}) do
    if lhs and lhs ~= '' and not is_taken(bufnr, lhs) then
      local description = DESCRIPTION .. actions[action].text
      vim.keymap.set('n', lhs, actions[action].run, { buffer = bufnr, desc = description })
      set[action] = lhs
    end
  end
  mapped[bufnr] = set
  return set
end

--- Return action → key of the maps that are set in a buffer.
---@param bufnr integer
---@return table<string, string>
function M.mapped(bufnr)
  return mapped[bufnr] or {}
end

--- Remove the maps that were set in a buffer.
---@param bufnr integer
function M.remove(bufnr)
  for _, lhs in pairs(mapped[bufnr] or {}) do
    local found = vim.api.nvim_buf_is_valid(bufnr)
      and vim.api.nvim_buf_call(bufnr, function()
        return vim.fn.maparg(lhs, 'n', false, true)
      end)
    if found and found.buffer == 1 and vim.startswith(found.desc or '', DESCRIPTION) then
      vim.keymap.del('n', lhs, { buffer = bufnr })
    end
  end
  mapped[bufnr] = nil
end

return M
