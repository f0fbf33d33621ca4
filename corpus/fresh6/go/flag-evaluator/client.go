package main

import (
	"hash/fnv"
	"time"
)

type rule struct {
	flag    string
	percent uint32
}

type evaluator struct {
	rules map[string]rule
}

func compile(rules []rule) *evaluator {
	time.Sleep(time.Millisecond)
	e := &evaluator{rules: make(map[string]rule, len(rules))}
	for _, r := range rules {
		e.rules[r.flag] = r
	}
	return e
}

func (e *evaluator) match(flag, subject string) bool {
	r, ok := e.rules[flag]
	if !ok {
		return false
	}
	h := fnv.New32a()
	h.Write([]byte(flag + "/" + subject))
	return h.Sum32()%100 < r.percent
}

// Client answers whether a flag is on for a subject.
type Client struct {
	rules []rule
	eval  *evaluator
}

func New(rules []rule) *Client {
	return &Client{rules: rules}
}

func (c *Client) evaluator() *evaluator {
	if c.eval == nil { //race:Client.eval
		c.eval = compile(c.rules) //race:Client.eval
	}
	return c.eval //race:Client.eval
}

func (c *Client) Enabled(flag, subject string) bool {
	return c.evaluator().match(flag, subject)
}
