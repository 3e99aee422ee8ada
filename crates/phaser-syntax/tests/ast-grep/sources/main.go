package main

import "fmt"

func main() {
	fmt.Println("a", 1)
	if err != nil {
		return err
	}
	go func() { panic("x") }()
	var x = 1
}
