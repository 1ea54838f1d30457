-- Tells whether the user waits for what was asked for, or went on with something else.
local M = {}

---@class greenline.Attention
---@field window integer
---@field bufnr integer
---@field cursor [integer, integer]
---@field tick integer

--- Return where the user is now.
---@return greenline.Attention
function M.now()
  return {
    window = vim.api.nvim_get_current_win(),
    bufnr = vim.api.nvim_get_current_buf(),
    cursor = vim.api.nvim_win_get_cursor(0),
    tick = vim.api.nvim_buf_get_changedtick(0),
  }
end

--- Return whether the user is in normal mode and did nothing since.
---@param since greenline.Attention
---@return boolean
function M.is_idle(since)
  return vim.api.nvim_get_mode().mode == 'n' and vim.deep_equal(since, M.now())
end

return M
