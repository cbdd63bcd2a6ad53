package queue

import (
	"context"
	"sync"

	"github.com/acme/notifications/internal/message"
)

// Memory is a Source in this process, for development and tests.
type Memory struct {
	waiting chan message.Message
	mu      sync.Mutex
	Acked   []string
	Dead    []message.Message
}

// NewMemory returns an empty queue that holds at most capacity messages.
func NewMemory(capacity int) *Memory {
	return &Memory{waiting: make(chan message.Message, capacity)}
}

// Put adds a message and blocks while the queue is full.
func (q *Memory) Put(m message.Message) { q.waiting <- m }

func (q *Memory) Receive(ctx context.Context) (message.Message, error) {
	select {
	case <-ctx.Done():
		return message.Message{}, ctx.Err()
	case m := <-q.waiting:
		return m, nil
	}
}

func (q *Memory) Ack(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.Acked = append(q.Acked, id)
}

func (q *Memory) Requeue(m message.Message) { q.waiting <- m }

func (q *Memory) DeadLetter(m message.Message, _ error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.Dead = append(q.Dead, m)
}
