-- Which buffer shows a file's hunks: the file's own, or a read-only one for a file that does not exist yet.
local draw = require('greenline.draw')

local M = {}

--- Return the loaded buffer of a file, however its path is spelled.
---@param uri string
---@return integer?
function M.loaded(uri)
  local name = vim.uri_to_fname(uri)
  local real = vim.uv.fs_realpath(name) or name
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buftype == '' then
      local other = vim.api.nvim_buf_get_name(bufnr)
      if other == name or (other ~= '' and (vim.uv.fs_realpath(other) or other) == real) then
        return bufnr
      end
    end
  end
end

---@param uri string
---@return string
local function preview_name(uri)
  return 'greenline://new' .. vim.uri_to_fname(uri)
end

--- Return the buffer that shows a file that is proposed, if it was made.
---@param uri string
---@return integer?
function M.preview(uri)
  local wanted = preview_name(uri)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(bufnr) == wanted then
      return bufnr
    end
  end
end

---@param item greenline.Waiting
---@return integer
local function make_preview(item)
  local uri = item.hunk.uri
  local bufnr = M.preview(uri)
  if bufnr == nil then
    bufnr = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(bufnr, preview_name(uri))
  end
  vim.b[bufnr].greenline_client = item.client_id
  vim.b[bufnr].greenline_uri = uri
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, draw.lines_of(item.hunk.after, 8))
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].modified = false
  local filetype = vim.filetype.match({ filename = vim.uri_to_fname(uri) })
  if filetype then
    vim.bo[bufnr].filetype = filetype
  end
  return bufnr
end

--- Return a buffer that shows a hunk; made or added where there is none.
---@param item greenline.Waiting
---@return integer
function M.buffer(item)
  if item.hunk.op == 'create' and not M.loaded(item.hunk.uri) then
    return make_preview(item)
  end
  -- Named from here, as `:edit` does, so that the status line shows the short name.
  return M.loaded(item.hunk.uri)
    or vim.fn.bufadd(vim.fn.fnamemodify(vim.uri_to_fname(item.hunk.uri), ':.'))
end

--- Return the file that a buffer shows.
---@param bufnr integer
---@return string? uri
function M.uri(bufnr)
  if vim.b[bufnr].greenline_uri then
    return vim.b[bufnr].greenline_uri
  end
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name ~= '' and vim.bo[bufnr].buftype == '' then
    return vim.uri_from_fname(name)
  end
end

--- Return whether two URIs name one file.
---@param one string
---@param other string
---@return boolean
function M.same(one, other)
  if one == other then
    return true
  end
  local a, b = vim.uri_to_fname(one), vim.uri_to_fname(other)
  return vim.fs.basename(a) == vim.fs.basename(b)
    and (vim.uv.fs_realpath(a) or a) == (vim.uv.fs_realpath(b) or b)
end

--- Put the file itself where its preview is shown, after it was made; return its buffer if it is shown.
---@param uri string
---@return integer?
function M.replace_preview(uri)
  local preview = M.preview(uri)
  if preview == nil then
    return
  end
  local bufnr
  if vim.uv.fs_stat(vim.uri_to_fname(uri)) then
    for _, window in ipairs(vim.fn.win_findbuf(preview)) do
      bufnr = vim.uri_to_bufnr(uri)
      vim.bo[bufnr].buflisted = true
      vim.api.nvim_win_set_buf(window, bufnr)
    end
  end
  vim.api.nvim_buf_delete(preview, { force = true })
  return bufnr
end

return M
