-- Everything that Greenline tells in words. Invariant: a message never asks for a key press.
local M = {}

---@type { time: integer, text: string, level: integer }[]
M.history = {}

local MAX_HISTORY = 200

---@type table<string, string>
local last = {}

--- Return whether messages are Neovim's own, which stop at a prompt where they are longer than a line.
---@return boolean
local function is_builtin_notify()
  -- Both come from one file of Neovim's, whose name is another in each version.
  return debug.getinfo(vim.notify, 'S').source == debug.getinfo(vim.schedule_wrap, 'S').source
end

---@param text string
---@return string
local function one_line(text)
  local line = vim.trim((text:gsub('%s+', ' ')))
  local room = math.max(20, vim.v.echospace)
  if vim.fn.strdisplaywidth(line) <= room then
    return line
  end
  local tail = ' … (:Agent log)'
  local kept = vim.fn.strcharpart(line, 0, room - vim.fn.strdisplaywidth(tail))
  return kept .. tail
end

--- Tell the user something; `:Agent log` has it whole.
---@param text string
---@param level? integer One of `vim.log.levels`.
function M.say(text, level)
  level = level or vim.log.levels.INFO
  table.insert(M.history, { time = os.time(), text = text, level = level })
  if #M.history > MAX_HISTORY then
    table.remove(M.history, 1)
  end
  local shown = 'Greenline: ' .. text
  vim.notify(is_builtin_notify() and one_line(shown) or shown, level, { title = 'Greenline' })
end

--- Say a problem when it begins or changes, and not again while it lasts.
---@param topic string
---@param text? string None where there is no problem any more.
---@param level? integer
function M.once(topic, text, level)
  if last[topic] ~= text then
    last[topic] = text
    if text then
      M.say(text, level or vim.log.levels.WARN)
    end
  end
end

--- Say an error of a request: what was wrong, and what to do.
---@param err lsp.ResponseError
function M.error(err)
  if err.code == -32800 then
    M.say('Cancelled.')
    return
  end
  local remedy = type(err.data) == 'table' and err.data.remedy or nil
  local is_said = remedy == nil or err.message:find(remedy, 1, true)
  M.say(is_said and err.message or ('%s %s'):format(err.message, remedy), vim.log.levels.ERROR)
end

return M
