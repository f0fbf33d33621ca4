module example.com/lattice/mux

go 1.22
