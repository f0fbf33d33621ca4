package main

import (
	"fmt"
	"time"
)

type schema struct {
	id     int
	fields []string
}

type fetchFunc func(id int) (*schema, error)

// registryClient knows the schemas that messages refer to.
type registryClient struct {
	fetch   fetchFunc
	schemas map[int]*schema
}

func (c *registryClient) schema(id int) (*schema, error) {
	if s, ok := c.schemas[id]; ok { //race:registryClient.schemas
		return s, nil
	}
	s, err := c.fetch(id)
	if err != nil {
		return nil, fmt.Errorf("schema %d: %w", id, err)
	}
	c.schemas[id] = s //race:registryClient.schemas
	return s, nil
}

type decoder struct {
	client *registryClient
}

func (d *decoder) decode(raw []byte) (map[string]byte, error) {
	s, err := d.client.schema(int(raw[0]))
	if err != nil {
		return nil, err
	}
	out := make(map[string]byte, len(s.fields))
	for i, f := range s.fields {
		if i+1 < len(raw) {
			out[f] = raw[i+1]
		}
	}
	return out, nil
}

func slowFetch(id int) (*schema, error) {
	time.Sleep(time.Duration(id) * time.Millisecond)
	return &schema{id: id, fields: []string{"a", "b"}}, nil
}
