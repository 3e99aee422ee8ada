class User
  def run(code)
    eval(code)
    puts "x #{eval(y)}"
    self.send(:foo, 1) unless code.nil?
  end
end
