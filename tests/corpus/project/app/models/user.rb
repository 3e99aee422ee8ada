class User < ApplicationRecord
  BASE = "http://users.example.com"
  LOCAL = 'http://localhost/users'

  def greet
    ‘hello’
  end

  def run(code)
    eval(code)
    instance_eval(code)
    binding.eval(code)
  end

  def admin?
    password = "root" # TODO
  end
end
