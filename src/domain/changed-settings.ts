/** Finds the settings that differ, before and after; null if none does. Ignores those that are not in `current`. */
export function findChangedSettings<Settings extends object>(current: Settings, newSettings: Partial<Settings>) {
  const isOther = (name: keyof Settings) =>
    newSettings[name] !== undefined && JSON.stringify(newSettings[name]) !== JSON.stringify(current[name])
  const names = (Object.keys(current) as (keyof Settings)[]).filter(isOther)
  if (names.length === 0) return null
  const pick = (settings: Partial<Settings>) =>
    Object.fromEntries(names.map((name) => [name, settings[name]])) as Partial<Settings>
  return { from: pick(current), to: pick(newSettings) }
}
