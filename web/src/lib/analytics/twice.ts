const RETRY_MS = 1000

/** Loads something, and once more after a second if that fails. */
export async function twice<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    return load()
  }
}
