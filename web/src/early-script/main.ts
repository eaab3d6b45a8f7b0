import { clearAddressBar } from '@/lib/auth/sign-in-address'

/** Runs in the head of the sign-in pages, before any other script (scripts/early-script.mjs). */
let opened: string | null = window.location.href

window.takeSignInAddress = () => {
  const once = opened
  opened = null
  return once
}
clearAddressBar()
