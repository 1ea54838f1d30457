-- Options: `vim.g.greenline` or `require('greenline').setup()`. A wrong one is named, and its default is used.
local M = {}

---@class greenline.Keys
---@field next string|false
---@field prev string|false
---@field accept string|false
---@field reject string|false
---@field reject_comment string|false
---@field evidence string|false

---@class greenline.Options
---@field cmd string[]|false Command that starts the server, or false to look for it.
---@field env table<string, string> Environment of the server, beside Neovim's own.
---@field keys greenline.Keys|false Maps in buffers with pending hunks; false for none.
---@field diagnostics boolean Whether pending hunks are diagnostics too.
---@field icons boolean Whether signs outside of ASCII are drawn.

---@type greenline.Options
local defaults = {
  cmd = false,
  env = {},
  keys = {
    next = ']g',
    prev = '[g',
    accept = 'ga',
    reject = 'gr',
    reject_comment = 'gR',
    evidence = 'gK',
  },
  diagnostics = false,
  icons = true,
}

---@type string[]
M.filetypes = {
  'c',
  'cpp',
  'cs',
  'css',
  'go',
  'html',
  'java',
  'javascript',
  'javascriptreact',
  'json',
  'markdown',
  'php',
  'python',
  'ruby',
  'rust',
  'sh',
  'text',
  'toml',
  'typescript',
  'typescriptreact',
  'yaml',
}

---@type greenline.Options?
local options

---@param name string
---@param wanted string
local function complain(name, wanted)
  require('greenline.say').once(
    'option ' .. name,
    ('The option %s must be %s; its default is used.'):format(name, wanted),
    vim.log.levels.WARN
  )
end

---@param value any
---@return boolean
local function is_command(value)
  return value == false or type(value) == 'table' and type(value[1]) == 'string'
end

---@param given table<string, any>
---@return greenline.Options
local function read(given)
  local made = vim.deepcopy(defaults)
  for name, value in pairs(given) do
    if defaults[name] == nil then
      complain(tostring(name), 'one of ' .. table.concat(vim.fn.sort(vim.tbl_keys(defaults)), ', '))
    elseif name == 'cmd' then
      if is_command(value) then
        made.cmd = value
      else
        complain('cmd', 'a list such as { "greenline", "serve" }')
      end
    elseif name == 'keys' and value == false then
      made.keys = false
    elseif name == 'keys' and type(value) == 'table' then
      for key, lhs in pairs(value) do
        if defaults.keys[key] == nil or not (lhs == false or type(lhs) == 'string') then
          complain('keys.' .. tostring(key), 'a key such as "ga", or false')
        else
          made.keys[key] = lhs
        end
      end
    elseif type(value) == type(defaults[name]) then
      made[name] = value
    else
      complain(name, 'a ' .. type(defaults[name]))
    end
  end
  return made
end

--- Return the options; read from `vim.g.greenline` at first use.
---@return greenline.Options
function M.get()
  if options == nil then
    local given = vim.g.greenline
    options = vim.deepcopy(defaults)
    if given ~= nil and type(given) ~= 'table' then
      complain('vim.g.greenline', 'a table')
    else
      options = read(given or {})
    end
  end
  return options
end

--- Take other options.
---@param given? table<string, any>
function M.set(given)
  options = read(given or {})
end

return M
