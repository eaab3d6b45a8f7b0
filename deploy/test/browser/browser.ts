/** The browser of the machine: Playwright's own cannot be downloaded everywhere. */
const executablePath = process.env.CHROMIUM

export const launchOptions = {
  ...(executablePath ? { executablePath } : {}),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}
