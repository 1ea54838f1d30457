// Package store keeps things.
package store

import (
	"fmt"
	e "example.org/errors"
)

const Limit = 3

var state = make(map[string]int)

// Store keeps.
type Store struct{ name string }
type Reader interface{ Read(p []byte) (int, error) }
type Names []string

func New(name string) *Store { return &Store{name: name} }

// Put adds.
func (s *Store) Put(key string) error {
	fmt.Println(key)
	return e.Wrap(check(key))
}
