package charttest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The parts of other projects' types that the chart uses, so that their modules are not
// needed. An unknown field is a failure, as with Kubernetes' own types.

// httpRoute is gateway.networking.k8s.io/v1, HTTPRoute.
type httpRoute struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		ParentRefs []struct {
			Group, Kind, Namespace, Name, SectionName string
			Port                                      int32
		} `json:"parentRefs"`
		Hostnames []string `json:"hostnames"`
		Rules     []struct {
			Matches []struct {
				Path struct {
					Type  string `json:"type"`
					Value string `json:"value"`
				} `json:"path"`
			} `json:"matches"`
			BackendRefs []struct {
				Group  *string `json:"group"`
				Kind   string  `json:"kind"`
				Name   string  `json:"name"`
				Port   int32   `json:"port"`
				Weight int32   `json:"weight"`
			} `json:"backendRefs"`
			Timeouts struct {
				Request        string `json:"request"`
				BackendRequest string `json:"backendRequest"`
			} `json:"timeouts"`
		} `json:"rules"`
	} `json:"spec"`
}

// certificate is cert-manager.io/v1, Certificate.
type certificate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		IsCA        bool   `json:"isCA"`
		SecretName  string `json:"secretName"`
		Duration    string `json:"duration"`
		RenewBefore string `json:"renewBefore"`
		PrivateKey  struct {
			Algorithm      string `json:"algorithm"`
			Size           int    `json:"size"`
			RotationPolicy string `json:"rotationPolicy"`
		} `json:"privateKey"`
		Usages     []string `json:"usages"`
		CommonName string   `json:"commonName"`
		DNSNames   []string `json:"dnsNames"`
		IssuerRef  struct {
			Group string `json:"group"`
			Kind  string `json:"kind"`
			Name  string `json:"name"`
		} `json:"issuerRef"`
	} `json:"spec"`
}

// serviceMonitor is monitoring.coreos.com/v1, ServiceMonitor.
type serviceMonitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		JobLabel     string               `json:"jobLabel"`
		TargetLabels []string             `json:"targetLabels"`
		Selector     metav1.LabelSelector `json:"selector"`
		Endpoints    []struct {
			Port     string `json:"port"`
			Path     string `json:"path"`
			Interval string `json:"interval"`
		} `json:"endpoints"`
	} `json:"spec"`
}

// prometheusRule is monitoring.coreos.com/v1, PrometheusRule.
type prometheusRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		Groups []struct {
			Name     string `json:"name"`
			Interval string `json:"interval"`
			Rules    []struct {
				Record      string            `json:"record"`
				Alert       string            `json:"alert"`
				Expr        string            `json:"expr"`
				For         string            `json:"for"`
				KeepFiring  string            `json:"keep_firing_for"`
				Labels      map[string]string `json:"labels"`
				Annotations map[string]string `json:"annotations"`
			} `json:"rules"`
		} `json:"groups"`
	} `json:"spec"`
}
