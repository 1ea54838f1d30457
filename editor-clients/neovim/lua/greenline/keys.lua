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

--- Those that are of use in a buffer without pending hunks, while some wait elsewhere.
local MOVES = { 'next', 'prev' }

--- Buffer → action → the key that is mapped there, or false where a map of the user's own has it.
---@type table<integer, table<string, string|false>>
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

--- Set the maps in a buffer, each once; return action → key of those that are set.
---@param bufnr integer
---@param names? string[] The actions; all without.
---@return table<string, string|false>
function M.set(bufnr, names)
  local set = mapped[bufnr] or {}
  for action, lhs in pairs(config.get().keys or {}) do
    local is_wanted = names == nil or vim.list_contains(names, action)
    if is_wanted and set[action] == nil and lhs and lhs ~= '' then
      set[action] = not is_taken(bufnr, lhs) and lhs
      if set[action] then
        local description = DESCRIPTION .. actions[action].text
        vim.keymap.set('n', lhs, actions[action].run, { buffer = bufnr, desc = description })
      end
    end
  end
  mapped[bufnr] = set
  return set
end

--- Return action → key of the maps that are set in a buffer.
---@param bufnr integer
---@return table<string, string|false>
function M.mapped(bufnr)
  return mapped[bufnr] or {}
end

---@param bufnr integer
---@param lhs string
local function unmap(bufnr, lhs)
  local found = vim.api.nvim_buf_is_valid(bufnr)
    and vim.api.nvim_buf_call(bufnr, function()
      return vim.fn.maparg(lhs, 'n', false, true)
    end)
  if found and found.buffer == 1 and vim.startswith(found.desc or '', DESCRIPTION) then
    vim.keymap.del('n', lhs, { buffer = bufnr })
  end
end

--- Have the maps in a buffer that go on to pending hunks elsewhere, and no others.
---@param bufnr integer
function M.only_moves(bufnr)
  for action, lhs in pairs(mapped[bufnr] or {}) do
    if not vim.list_contains(MOVES, action) then
      if lhs then
        unmap(bufnr, lhs)
      end
      mapped[bufnr][action] = nil
    end
  end
  M.set(bufnr, MOVES)
end

--- Remove the maps that were set in a buffer.
---@param bufnr integer
function M.remove(bufnr)
  for _, lhs in pairs(mapped[bufnr] or {}) do
    if lhs then
      unmap(bufnr, lhs)
    end
  end
  mapped[bufnr] = nil
end

--- Remove all maps that were set.
function M.remove_all()
  for _, bufnr in ipairs(vim.tbl_keys(mapped)) do
    M.remove(bufnr)
  end
end

return M
