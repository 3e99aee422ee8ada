package main

import (
	"fmt"
	"net/http"
)

const upstream = "http://upstream.internal:8080"

func handler(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil {
		panic("no body")
	}
	fmt.Fprintln(w, "ok")
}

func main() {
	http.HandleFunc("/", handler)
	if err := http.ListenAndServe(":8080", nil); err != nil {
		panic(err) // phaser:ignore no-panic
	}
}
