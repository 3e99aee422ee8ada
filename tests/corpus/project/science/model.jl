using LinearAlgebra

# temperatures in kelvin
struct State
    t::Float64
    kelvin_offset::Float64
end

energy(s::State) = 1.38e-23 * s.t  # J / Kelvin
