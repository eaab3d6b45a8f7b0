/** What a rollout means for the people who have the app. */
export function rolloutWords(percentage: number, isAvailable: boolean): string {
  const words = isAvailable ? 'Offered to' : 'Once enabled, offered to'
  if (percentage <= 0) return `${words} nobody, and not available for download`
  if (percentage >= 100) return `${words} all installed apps`
  return `${words} about ${percentage}% of installed apps`
}
