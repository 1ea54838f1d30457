-- The ways in which people load plug-ins: packages, and plug-in managers that prepend a path later on.
local child = require('child')
local suite = require('suite')
local test, eq, has = suite.test, suite.eq, suite.has

local PLUGIN = child.repository .. '/editor-clients/neovim'

--- Start a Neovim with an init file and a command at its end; return what it printed.
---@param init string
---@param packages? string A folder of packages.
---@return string[]
local function run(init, packages)
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, 'p')
  local lines = {
    ('vim.opt.packpath:prepend(%q)'):format(packages or folder),
    init,
    [[
      vim.api.nvim_create_autocmd('VimEnter', { callback = function()
        vim.schedule(function()
          AfterStart()
          local found = {
            vim.fn.exists(':Agent'),
            tostring(vim.lsp.is_enabled('greenline')),
            vim.lsp.config.greenline and vim.lsp.config.greenline.cmd and 'configured' or 'no configuration',
            tostring(pcall(require, 'greenline')),
            tostring(pcall(require, 'greenline.health')),
            #vim.api.nvim_get_runtime_file('doc/greenline.txt', true),
          }
          io.stdout:write(table.concat(found, ' '))
          vim.cmd('qall!')
        end)
      end })
    ]],
  }
  child.write(folder .. '/init.lua', table.concat(lines, '\n'))
  local argv = { vim.v.progpath, '--clean', '--headless', '-n', '-i', 'NONE', '-u', folder .. '/init.lua' }
  local done = vim.system(argv, { text = true, timeout = 30000 }):wait()
  eq('', done.stderr)
  return done.stdout
end

--- Return a folder of packages that holds the plug-in.
---@param kind 'start'|'opt'
---@return string
local function package(kind)
  local site = vim.fn.tempname()
  vim.fn.mkdir(('%s/pack/people/%s'):format(site, kind), 'p')
  vim.uv.fs_symlink(PLUGIN, ('%s/pack/people/%s/greenline.nvim'):format(site, kind))
  return site
end

local LOADED = '2 true configured true true 1'

test('a package in `start` is there by itself, as after vim.pack.add', function()
  local found = run("vim.lsp.enable('greenline') AfterStart = function() end", package('start'))

  eq(LOADED, found)
end)

test('an optional package is loaded when it is asked for', function()
  local init = "AfterStart = function() vim.cmd.packadd('greenline.nvim') vim.lsp.enable('greenline') end"

  eq(LOADED, run(init, package('opt')))
end)

test('a path that is prepended later is loaded as lazy.nvim does it', function()
  local init = ([[
    local dir = %q
    AfterStart = function()
      -- lazy.nvim: the path first, then each file of `plugin`, then the `config` of the spec.
      vim.opt.runtimepath:prepend(dir)
      for _, file in ipairs(vim.fn.glob(dir .. '/plugin/**/*.lua', false, true)) do
        vim.cmd.source(file)
      end
      vim.lsp.enable('greenline')
    end
  ]]):format(PLUGIN)

  eq(LOADED, run(init))
end)

test('enabling it in an `init` that runs before the plug-in is loaded does no harm', function()
  local init = ([[
    vim.lsp.enable('greenline')
    AfterStart = function()
      vim.opt.runtimepath:prepend(%q)
      vim.cmd.runtime('plugin/greenline.lua')
    end
  ]]):format(PLUGIN)

  eq(LOADED, run(init))
end)

test('the help has its tags', function()
  local folder = vim.fn.tempname() .. '/doc'
  vim.fn.mkdir(folder, 'p')
  vim.uv.fs_copyfile(PLUGIN .. '/doc/greenline.txt', folder .. '/greenline.txt')
  vim.cmd.helptags(folder)
  local tags = child.read(folder .. '/tags')

  for _, tag in ipairs({ 'greenline', ':Agent-answer', ':Agent-runs' }) do
    has(tag .. '\tgreenline.txt', tags)
  end
end)

suite.run(child.stop_all, child.wait_all)
