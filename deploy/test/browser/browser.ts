/** Browsers of the machine: Playwright's own cannot be downloaded everywhere. */
const chromium = process.env.CHROMIUM
/** The key of a certificate that is taken though nobody knows its authority. */
const certificateKey = process.env.FLEDGE_CERTIFICATE_KEY
const headlessShell = process.env.HEADLESS_SHELL

/** The whole Chromium, as people have it. */
export const launchOptions = {
  ...(chromium ? { executablePath: chromium } : {}),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    ...(certificateKey ? [`--ignore-certificate-errors-spki-list=${certificateKey}`] : []),
  ],
}

/**
 * For half of the processor time. Pages are not kept for Back, nor rendered before they are shown, and analytics see a
 * robot.
 */
export const lightLaunchOptions = {
  ...launchOptions,
  ...(headlessShell ? { executablePath: headlessShell } : {}),
}
