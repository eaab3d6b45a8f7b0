package bus

import "strings"

// Rights is what the NATS user of a service needs, which is also all that it gets:
// what is not listed is refused.
type Rights struct {
	Service   string
	Consumers []ConsumerSpec
	// Watches are the subjects of the service's watches.
	Watches []string
}

// Publish lists the subjects that the user may publish: its own events, its own
// stream's set-up, state and messages, and for each of its consumers the set-up with that subject alone,
// the state, the next message and the acknowledgements. It may delete messages of its own
// stream, for erasures. There is no right to delete or purge a stream, or to look into
// another's.
//
// Servers from 2.14 on can have acknowledgements begin with their domain and account (the feature flag
// js_ack_fc_v2). That right has as many places as these have, so that it fits no acknowledgement of the short form, by
// which another's consumer could be asked for its next message.
func (r Rights) Publish() []string {
	stream := StreamOf(r.Service)
	subjects := []string{"fledge." + r.Service + ".>", "$JS.API.STREAM.CREATE." + stream, "$JS.API.STREAM.UPDATE." + stream, "$JS.API.STREAM.INFO." + stream, "$JS.API.STREAM.MSG.GET." + stream, "$JS.API.STREAM.MSG.DELETE." + stream}
	for _, c := range r.Consumers {
		place := c.Stream + "." + c.Name
		subjects = append(subjects, "$JS.API.CONSUMER.CREATE."+place+"."+c.Type, "$JS.API.CONSUMER.INFO."+place, "$JS.API.CONSUMER.MSG.NEXT."+place, "$JS.ACK."+place+".>", "$JS.ACK.*.*."+place+".*.*.*.*.>")
	}
	return subjects
}

// Subscribe lists the subjects that the user may listen to: answers to itself, and
// its watches.
func (r Rights) Subscribe() []string {
	return append([]string{InboxOf(r.Service) + ".>"}, r.Watches...)
}

// Variable is the name of an environment variable that holds the user's password
// where nats-server's configuration is not written by us.
func (r Rights) Variable() string { return "NATS_" + strings.ToUpper(r.Service) + "_PASSWORD" }
