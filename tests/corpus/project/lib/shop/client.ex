defmodule Shop.Client do
  @base "http://client.example.com"

  @doc "Fetches one. TODO"
  def get(path) do
    case HTTPoison.get(@base <> path) do
      {:ok, %{body: body}} -> {:ok, body}
      {:error, reason} -> {:error, reason}
    end
  end
end
