package rpc

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// metadataPushback tells grpc-go's client whether to retry; a negative number means no.
// Servers send it with every failure of their own: the client retries when a server went
// away during a call, and never when a server said that it cannot, which would multiply
// the load on whatever is in trouble.
const metadataPushback = "grpc-retry-pushback-ms"

// A call is retried at most twice, on another replica if there is one, and not while more
// than a tenth of a connection's calls fail.
const (
	retries    = `{"maxAttempts":3,"initialBackoff":"0.02s","maxBackoff":"0.2s","backoffMultiplier":3,"retryableStatusCodes":["UNAVAILABLE"]}`
	retryLimit = `{"maxTokens":10,"tokenRatio":0.1}`
)

type methodName struct {
	Service string `json:"service"`
	Method  string `json:"method"`
}

// serviceConfig spreads calls over all replicas, and retries those that are idempotent by
// their contract (idempotency_level in the .proto).
var serviceConfig = sync.OnceValue(func() string {
	var repeatable []methodName
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		if !strings.HasPrefix(string(file.Package()), "fledge.") {
			return true
		}
		for i := range file.Services().Len() {
			methods := file.Services().Get(i).Methods()
			for j := range methods.Len() {
				m := methods.Get(j)
				options, ok := m.Options().(*descriptorpb.MethodOptions)
				if ok && options.GetIdempotencyLevel() != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN {
					repeatable = append(repeatable, methodName{string(m.Parent().FullName()), string(m.Name())})
				}
			}
		}
		return true
	})
	const balance = `"loadBalancingConfig":[{"round_robin":{}}]`
	if len(repeatable) == 0 {
		return "{" + balance + "}" // no names would mean every method
	}
	names, err := json.Marshal(repeatable)
	if err != nil {
		panic(err) // strings only
	}
	return fmt.Sprintf(`{%s,"retryThrottling":%s,"methodConfig":[{"name":%s,"retryPolicy":%s}]}`, balance, retryLimit, names, retries)
})
