-- Scrolls a window so that all that is drawn for a hunk is on the screen, also beside the first and last line.
local draw = require('greenline.draw')
local proposal = require('greenline.proposal')

local M = {}

--- Return how many lines are drawn below a line of a buffer, whatever hunks they belong to.
---@param bufnr integer
---@param row integer
---@return integer
local function n_below(bufnr, row)
  local n = 0
  for _, mark in
    ipairs(vim.api.nvim_buf_get_extmarks(bufnr, draw.namespace, { row, 0 }, { row, -1 }, { details = true }))
  do
    n = n + (not mark[4].virt_lines_above and #(mark[4].virt_lines or {}) or 0)
  end
  return n
end

--- Return the lines of the text beside which a hunk is drawn, the first and the last, from 0.
---@param item greenline.Waiting
---@param bufnr integer
---@return integer first
---@return integer last
local function rows(item, bufnr)
  local last_row = vim.api.nvim_buf_line_count(bufnr) - 1
  if item.hunk.op == 'create' then
    return 0, 0
  end
  local first, after = proposal.lines(item.hunk)
  if item.hunk.state == 'conflicted' then
    return math.min(first, last_row), math.min(first, last_row)
  end
  if first == after or first > last_row then
    -- An insertion is drawn below the line before it.
    local row = math.min(math.max(first - 1, 0), last_row)
    return row, row
  end
  return first, math.min(after - 1, last_row)
end

--- Show the current window's text from a line on.
---@param row integer
---@param n_above integer How many of the lines that are drawn above it are shown.
local function begin_at(row, n_above)
  vim.fn.winrestview({ topline = row + 1, topfill = n_above })
end

--- Scroll the current window, where need be, to all that is drawn for a hunk; its head comes first.
---@param item greenline.Waiting
function M.reveal(item)
  local bufnr = vim.api.nvim_get_current_buf()
  local info = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1]
  local height = info.height - info.winbar
  local first, last = rows(item, bufnr)
  local below = n_below(bufnr, last)
  --- Return how many lines of the screen it takes to show from a line on, without what is drawn above that.
  local function room(row)
    return vim.api.nvim_win_text_height(0, { start_row = row, start_vcol = 0, end_row = last }).all + below
  end
  local whole = vim.api.nvim_win_text_height(0, { start_row = first, end_row = last }).all + below
  local above = whole - room(first)
  -- Only a question about the window makes Neovim scroll to where the cursor was put.
  local top = vim.fn.line('w0') - 1
  local fill = vim.fn.winsaveview().topfill
  local has_head = top < first or (top == first and fill >= above)
  if not has_head or whole > height then
    begin_at(first, math.min(above, height - 1))
  elseif room(top) + fill > height then
    local row = first
    while row > 0 and room(row - 1) <= height do
      row = row - 1
    end
    begin_at(row, row == first and above or 0)
  end
end

return M
