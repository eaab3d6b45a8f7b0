/** Whether a version has a pre-release part, as 1.2.0-beta.1 has; build metadata after a plus is none. */
export function isPrerelease(version: string): boolean {
  return version.replace(/\+.*$/, '').includes('-')
}

interface Rollout {
  version: string
  percentage: number
  available: boolean
}

/** What a rollout means for the people who have the app. */
export function rolloutWords({ version, percentage, available }: Rollout): string {
  if (isPrerelease(version)) return 'Never offered to anybody'
  const words = available ? 'Offered to' : 'Once enabled, offered to'
  if (percentage <= 0) return `${words} nobody, and not available for download`
  if (percentage >= 100) return `${words} all installed apps`
  return `${words} about ${percentage}% of installed apps`
}
