package stripe_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/deploy/standins/stripe/calls"
	"fledge.dev/services/platform/errtest"
)

func TestStripesMockAcceptsEveryCall(t *testing.T) {
	sc := client(startMock(t), stripe.SecretKey, nil)
	// The mock knows the form of a request and takes any id for an object.
	o := calls.Objects{
		Customer: "cus_1", Product: "prod_1", Price: "price_1", Dearer: "price_2", Pack: "price_3", PackIntent: "pi_2", Checkout: "cs_1", Subscription: "sub_1",
		Item: "si_1", Invoice: "in_1", Intent: "pi_1", Charge: "ch_1", Card: "pm_1", Refund: "re_1", Dispute: "du_1", Warning: "issfr_1",
		Disputed: "ch_2", OpenCheckout: "cs_2", UnpaidInvoice: "in_2", Leaving: "cus_2", Draft: "in_3", Schedule: "sub_sched_1",
	}
	for _, call := range calls.All() {
		t.Run(call.Name, func(t *testing.T) {
			if _, err := call.Run(t.Context(), sc, o); err != nil {
				t.Error(err)
			}
		})
	}
}

// emptyHere are lists of what does not happen in this test, or not in the stand-in at all.
var emptyHere = []string{"list events that were not delivered", "list a customer's invoices that are uncollectible", "list a subscription's invoices that are open"}

// TestTheStandInAcceptsEveryCall also checks every answer against what Stripe
// publishes: the SDK's types and the OpenAPI description.
func TestTheStandInAcceptsEveryCall(t *testing.T) {
	r := start(t, func(o *stripe.Options) { o.Endpoint.URL = "https://fledge.example/api/stripe-webhook" })
	spec := loadSpec(t)
	seen := &answers{next: &http.Transport{DisableKeepAlives: true}}
	sc := client(r.URL(), stripe.SecretKey, seen)
	for _, call := range calls.All() {
		t.Run(call.Name, func(t *testing.T) {
			r := &rig{T: t, Server: r.Server, sc: r.sc}
			o := r.objects()
			if strings.Contains(call.Name, "draft") {
				o.Draft = r.draft(o.Subscription)
			}
			if strings.Contains(call.Name, "schedule") {
				o.Schedule = r.schedule(o.Customer)
			}
			seen.forget()
			got, err := call.Run(t.Context(), sc, o)
			errtest.None(t, err)
			if rows := reflect.ValueOf(got); rows.Kind() == reflect.Slice && rows.Len() == 0 && !slices.Contains(emptyHere, call.Name) {
				t.Error("an empty list proves nothing")
			}
			for _, object := range seen.objects(t) {
				spec.check(t, object)
				checkSDK(t, object)
			}
		})
	}
}

// answers keeps the bodies that the SDK was answered.
type answers struct {
	next   http.RoundTripper
	mu     sync.Mutex
	bodies [][]byte
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := a.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(body))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bodies = append(a.bodies, body)
	return response, err
}

func (a *answers) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bodies = nil
}

// objects are the answers, and in the place of lists what is in them.
func (a *answers) objects(t *testing.T) []map[string]any {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []map[string]any
	for _, body := range a.bodies {
		var object map[string]any
		if err := json.Unmarshal(body, &object); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		if object["object"] != "list" {
			out = append(out, object)
			continue
		}
		for _, row := range object["data"].([]any) {
			out = append(out, row.(map[string]any))
		}
	}
	return out
}

// description is Stripe's OpenAPI description. It is some months younger than the
// version that we speak, within which Stripe only adds.
type description struct{ *openapi3.T }

// youngerFields have become required since.
var youngerFields = map[string][]string{"subscription": {"billing_schedules"}, "invoice": {"amount_paid_off_stripe"}}

var (
	specOnce sync.Once
	spec     description
)

// loadSpec reads the objects once for all tests. The endpoints, which are most of
// the file, are the mock's to check.
func loadSpec(t *testing.T) description {
	t.Helper()
	specOnce.Do(func() {
		content, err := os.ReadFile(mockSpec(t))
		errtest.None(t, err)
		var whole map[string]any
		errtest.None(t, json.Unmarshal(content, &whole))
		whole["paths"] = map[string]any{}
		if content, err = json.Marshal(whole); err != nil {
			t.Fatal(err)
		}
		if spec.T, err = openapi3.NewLoader().LoadFromData(content); err != nil {
			t.Fatal(err)
		}
		for schema, fields := range youngerFields {
			value := spec.Components.Schemas[schema].Value
			for _, field := range fields {
				if !slices.Contains(value.Required, field) {
					t.Fatalf("%s.%s is not required any more: take it off the list", schema, field)
				}
				value.Required = slices.DeleteFunc(value.Required, func(s string) bool { return s == field })
			}
		}
	})
	if spec.T == nil {
		t.Fatal("Stripe's description could not be read: another test says why")
	}
	return spec
}

func (d description) check(t *testing.T, object map[string]any) {
	t.Helper()
	kind, _ := object["object"].(string)
	if object["deleted"] == true {
		kind = "deleted_" + kind
	}
	schema, ok := d.Components.Schemas[kind]
	if !ok {
		t.Errorf("Stripe has no object %q", kind)
		return
	}
	err := schema.Value.VisitJSON(object, openapi3.MultiErrors())
	for _, err := range problems(err) {
		var problem *openapi3.SchemaError
		if errors.As(err, &problem) {
			t.Errorf("%s%v: %s", kind, problem.JSONPointer(), problem.Reason)
		} else {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func problems(err error) []error {
	var several openapi3.MultiError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &several):
		return several
	}
	return []error{err}
}

// sdkTypes are the SDK's types for what the stand-in answers and sends.
var sdkTypes = map[string]reflect.Type{
	"account": reflect.TypeFor[sdk.Account](), "billing_portal.session": reflect.TypeFor[sdk.BillingPortalSession](),
	"billing_portal.configuration": reflect.TypeFor[sdk.BillingPortalConfiguration](), "webhook_endpoint": reflect.TypeFor[sdk.WebhookEndpoint](), "charge": reflect.TypeFor[sdk.Charge](),
	"checkout.session": reflect.TypeFor[sdk.CheckoutSession](), "customer": reflect.TypeFor[sdk.Customer](),
	"dispute": reflect.TypeFor[sdk.Dispute](), "radar.early_fraud_warning": reflect.TypeFor[sdk.RadarEarlyFraudWarning](), "event": reflect.TypeFor[sdk.Event](),
	"invoice": reflect.TypeFor[sdk.Invoice](), "invoice_payment": reflect.TypeFor[sdk.InvoicePayment](),
	"item": reflect.TypeFor[sdk.LineItem](), "line_item": reflect.TypeFor[sdk.InvoiceLineItem](),
	"payment_intent": reflect.TypeFor[sdk.PaymentIntent](), "payment_method": reflect.TypeFor[sdk.PaymentMethod](),
	"price": reflect.TypeFor[sdk.Price](), "product": reflect.TypeFor[sdk.Product](), "refund": reflect.TypeFor[sdk.Refund](),
	"subscription": reflect.TypeFor[sdk.Subscription](), "subscription_item": reflect.TypeFor[sdk.SubscriptionItem](),
	"tax.settings": reflect.TypeFor[sdk.TaxSettings](), "subscription_schedule": reflect.TypeFor[sdk.SubscriptionSchedule](),
}

// checkSDK wants an object, and what is in it, to have no field that the SDK does
// not know: that field would be of another version.
func checkSDK(t *testing.T, object map[string]any) {
	t.Helper()
	if kind, _ := object["object"].(string); sdkTypes[kind] == nil {
		t.Errorf("no type for %q", kind)
	} else {
		walk(t, kind, object, sdkTypes[kind])
	}
}

func walk(t *testing.T, path string, value any, into reflect.Type) {
	t.Helper()
	for into.Kind() == reflect.Pointer {
		into = into.Elem()
	}
	switch value := value.(type) {
	case []any:
		if into.Kind() == reflect.Slice {
			for _, element := range value {
				walk(t, path+"[]", element, into.Elem())
			}
		}
	case map[string]any:
		if into.Kind() != reflect.Struct {
			return
		}
		fields := map[string]reflect.Type{"object": reflect.TypeFor[string]()} // the SDK leaves it out of lists
		collect(into, fields)
		for name, inner := range value {
			if name == "data" && path == "event" {
				object := inner.(map[string]any)["object"].(map[string]any)
				checkSDK(t, object)
				continue
			}
			field, ok := fields[name]
			if !ok {
				t.Errorf("%s.%s: the SDK does not know this field", path, name)
				continue
			}
			walk(t, path+"."+name, inner, field)
		}
	}
}

// collect gathers the JSON names of a struct and of what it embeds.
func collect(from reflect.Type, into map[string]reflect.Type) {
	for i := range from.NumField() {
		field := from.Field(i)
		if field.Anonymous {
			collect(field.Type, into)
			continue
		}
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			into[name] = field.Type
		}
	}
}
