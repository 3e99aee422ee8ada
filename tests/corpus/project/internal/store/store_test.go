package store

import "testing"

func TestGet(t *testing.T) {
	defer func() {
		if recover() != nil {
			t.Fatal("panicked")
		}
	}()
	// phaser:ignore-next-line no-empty-interface
	s := Store{values: map[string]interface{}{"a": 1}}
	if _, found := s.Get("a"); !found {
		t.Fatal("not found")
	}
}
