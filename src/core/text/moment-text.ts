/** 14:02:31, and the day before it where it is not today; by the clock on the wall. */
export function momentText(iso: string | null, now: number): string {
  if (iso === null) return '–';
  const at = Date.parse(iso);
  const [day, today] = [new Date(at), new Date(now)];
  if (day.toDateString() === today.toDateString()) return clockText(at);
  const year = day.getFullYear() === today.getFullYear() ? '' : ` ${day.getFullYear()}`;
  return `${day.getDate()} ${MONTHS[day.getMonth()]}${year} ${clockText(at)}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** As the clock on the wall. */
export function clockText(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
