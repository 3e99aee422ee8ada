package store

// Store keeps values. TODO: expire them.
type Store struct {
	values map[string]interface{}
}

func (s *Store) Get(key string) (value interface{}, found bool) {
	value, found = s.values[key]
	return
}

// Closer is small.
type Closer interface {
	Close() error
}

func must(err error) {
	if err != nil {
		panic(err)
	}
	// dontpanic(err)
}
