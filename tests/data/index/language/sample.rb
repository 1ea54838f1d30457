require 'json'
require_relative '../core/error'

# Holds things.
module App
  LIMIT = 3
  class Store < Base
    def put(item)
      check(item)
      @items.push(item)
    end

    def self.build(n) = new(n)
  end
end
