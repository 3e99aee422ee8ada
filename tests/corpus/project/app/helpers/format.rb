module Format
  def euro(amount)
    format("%.2f €", amount) # phaser:ignore no-curly-quotes
  end

  def quote(text)
    "“#{text}”" # phaser:ignore no-curly-quotes -- typography is the point
  end

  def site
    # phaser:ignore-next-line no-http-url
    'http://example.com'
  end
end
