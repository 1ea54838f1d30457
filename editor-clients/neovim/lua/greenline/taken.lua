-- Knows which accepts were taken back by `u`, of which the server is told only by `:Agent undo`.
local place = require('greenline.place')
local say = require('greenline.say')

local M = {}

---@class greenline.Step A step of `u` that the server's edit made in a buffer.
---@field bufnr integer
---@field seq integer Its number in the buffer's undo tree.
---@field last? integer The newest number there when it was taken back; none while it is in the text.

---@class greenline.Accept
---@field checkpoint_id string
---@field steps greenline.Step[]

local MAX_ACCEPTS = 50

---@type greenline.Accept[]
local accepts = {}
--- Steps of the newest edit, before the server has said what it was.
---@type greenline.Step[]
local fresh = {}
---@type table<integer, true>
local watched = {}

---@param accept greenline.Accept
---@param bufnr integer
---@return greenline.Step?
local function step_in(accept, bufnr)
  return vim.iter(accept.steps):find(function(step)
    return step.bufnr == bufnr
  end)
end

--- Take note of what the user undid or did again in a buffer, and say what an undo leaves.
---@param bufnr integer
local function look(bufnr)
  local tree = vim.fn.undotree(bufnr)
  local is_new = false
  for _, accept in ipairs(accepts) do
    local step = step_in(accept, bufnr)
    if step and step.last == nil and tree.seq_cur < step.seq then
      step.last, is_new = tree.seq_last, true
    elseif step and step.last and step.seq <= tree.seq_cur and tree.seq_cur <= step.last then
      -- A higher number is what was typed since, on another branch of the undo tree.
      step.last = nil
    end
  end
  if is_new then
    say.say('Taken back here; :Agent undo makes it pending again, CTRL-R has it back.')
  end
end

---@param bufnr integer
local function forget_buffer(bufnr)
  watched[bufnr] = nil
  for _, accept in ipairs(accepts) do
    accept.steps = vim.tbl_filter(function(step)
      return step.bufnr ~= bufnr
    end, accept.steps)
  end
end

---@param bufnr integer
local function watch(bufnr)
  if watched[bufnr] then
    return
  end
  watched[bufnr] = true
  local group = vim.api.nvim_create_augroup('greenline.taken', { clear = false })
  vim.api.nvim_create_autocmd('TextChanged', {
    group = group,
    buffer = bufnr,
    desc = 'See whether an accept was undone',
    callback = function()
      look(bufnr)
    end,
  })
  vim.api.nvim_create_autocmd('BufUnload', {
    group = group,
    buffer = bufnr,
    desc = 'Forget the undo tree, which goes with the text',
    callback = function()
      vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
      forget_buffer(bufnr)
    end,
  })
end

--- Begin an edit of the server's, or know that the last one is over.
function M.begin()
  fresh = {}
end

--- Note that the edit is in a buffer, where it is the newest step of `u`.
---@param bufnr integer
function M.edited(bufnr)
  table.insert(fresh, { bufnr = bufnr, seq = vim.fn.undotree(bufnr).seq_cur })
end

--- Know that the newest edit was an accept.
---@param checkpoint_id string
function M.accepted(checkpoint_id)
  if #fresh == 0 then
    return
  end
  for _, step in ipairs(fresh) do
    watch(step.bufnr)
  end
  table.insert(accepts, { checkpoint_id = checkpoint_id, steps = fresh })
  fresh = {}
  if #accepts > MAX_ACCEPTS then
    table.remove(accepts, 1)
  end
end

--- Return the newest accept that is taken back in a buffer: what an undo there is about.
---@param bufnr integer
---@return string? checkpoint_id
function M.checkpoint(bufnr)
  for i = #accepts, 1, -1 do
    local step = step_in(accepts[i], bufnr)
    if step and step.last then
      return accepts[i].checkpoint_id
    end
  end
end

---@param is_undone fun(accept: greenline.Accept): any
local function forget_newest(is_undone)
  for i = #accepts, 1, -1 do
    if is_undone(accepts[i]) then
      table.remove(accepts, i)
      return
    end
  end
end

--- Forget an accept that the server knows to be undone.
---@param checkpoint_id string
function M.forget(checkpoint_id)
  forget_newest(function(accept)
    return accept.checkpoint_id == checkpoint_id
  end)
end

--- Forget the newest accept in files: the server has undone it.
---@param uris string[]
function M.forget_in(uris)
  local buffers = vim.iter(uris):map(place.loaded):totable()
  forget_newest(function(accept)
    return vim.iter(buffers):any(function(bufnr)
      return step_in(accept, bufnr)
    end)
  end)
end

return M
