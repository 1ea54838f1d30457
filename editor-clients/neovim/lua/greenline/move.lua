-- Goes from one pending hunk to the next, through all files.
local place = require('greenline.place')
local proposal = require('greenline.proposal')
local say = require('greenline.say')
local view = require('greenline.view')

local M = {}

---@param item greenline.Waiting
local function line_of(item)
  return item.hunk.op == 'create' and 0 or (proposal.lines(item.hunk))
end

--- Show a hunk, all of it, with the cursor on its first line.
---@param item greenline.Waiting
function M.show(item)
  local bufnr = place.buffer(item)
  if bufnr ~= vim.api.nvim_get_current_buf() then
    vim.cmd("normal! m'")
    vim.bo[bufnr].buflisted = vim.bo[bufnr].buftype == ''
    vim.cmd.buffer(bufnr)
    require('greenline.review').draw_buffer(bufnr)
  end
  local row = math.min(line_of(item) + 1, vim.api.nvim_buf_line_count(bufnr))
  vim.api.nvim_win_set_cursor(0, { row, 0 })
  vim.cmd('normal! zv')
  view.reveal(item)
end

--- Return the hunk under the cursor, or the one that begins nearest to it within its lines.
---@param bufnr? integer
---@return greenline.Waiting?
function M.here(bufnr)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  local uri = place.uri(bufnr)
  if uri == nil then
    return
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local last_row = vim.api.nvim_buf_line_count(bufnr) - 1
  local beside
  for _, item in ipairs(proposal.waiting()) do
    if place.same(item.hunk.uri, uri) then
      local first, after = proposal.lines(item.hunk)
      if item.hunk.op ~= 'edit' or (first <= row and row < after) then
        return item
      end
      local is_insertion = first == after or item.hunk.state == 'conflicted'
      if is_insertion and (row == math.min(first, last_row) or row == first - 1) then
        beside = beside or item
      end
    end
  end
  return beside
end

--- Go `n` pending hunks on, or back where it is negative; past the last comes the first.
---@param n integer
function M.step(n)
  local items = proposal.waiting()
  if #items == 0 then
    say.say('No change is pending.')
    return
  end
  local uri = place.uri(vim.api.nvim_get_current_buf()) or ''
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local last_row = vim.api.nvim_buf_line_count(0) - 1
  -- `before` hunks begin before the cursor, and `at` is whether one begins there.
  local before, at = 0, false
  for _, item in ipairs(items) do
    local is_here = place.same(item.hunk.uri, uri)
    local line = is_here and math.min(line_of(item), last_row) or 0
    if item.hunk.uri < uri and not is_here or is_here and line < row then
      before = before + 1
    elseif is_here and line == row then
      at = true
    end
  end
  local target = n > 0 and before + n + (at and 1 or 0) or before + n + 1
  M.show(items[(target - 1) % #items + 1])
end

return M
