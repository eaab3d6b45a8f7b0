const RETRY_MS = 1000

/** Calls `load`, and retries once after a second if that fails. */
export async function retryOnce<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    return load()
  }
}
