export default function LandingPage() {
  return <main>Fledge</main>
}
